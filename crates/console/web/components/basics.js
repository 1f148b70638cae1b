// The small parts that every page is made of.
import { html, useEffect, useState } from "../app/html.js";
import { Problem } from "../app/api.js";
import { instant, time } from "../app/format.js";
import { useMe } from "../app/session.js";
import { badgeOf } from "../app/states.js";
import { href } from "../app/router.js";
import { toast } from "./toast.js";
import { Icon } from "./icon.js";

/** A state as shape, word and colour. @param {{ state: string, kind?: string, big?: boolean }} props */
export function Badge({ state, kind = "", big = false }) {
  const { tone, icon, word } = badgeOf(state, kind);
  return html`<span class=${`badge ${tone} ${big ? "big" : ""}`}><${Icon} name=${icon} class="" />${word}</span>`;
}

/** @param {{ tone?: string, icon?: string, children: any, big?: boolean }} props */
export function Tag({ tone = "", icon, children, big = false }) {
  return html`<span class=${`badge ${tone} ${big ? "big" : ""}`}>${icon && html`<${Icon} name=${icon} class="" />`}${children}</span>`;
}

/** An instant in the viewer's zone; the whole of it in `title`. @param {{ at?: string | null }} props */
export const Time = ({ at }) => (at ? html`<time datetime=${at} title=${instant(at)}>${time(at)}</time>` : html`<span class="soft">–</span>`);

/**
 * @param {{ title: any, crumbs?: [string, string][], sub?: any, badge?: any, children?: any }} props
 */
export function PageHead({ title, crumbs = [], sub, badge, children }) {
  useEffect(() => {
    if (typeof title === "string") document.title = `${title} · Dockside`;
  }, [title]);
  return html`
    ${crumbs.length > 0 && html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${crumbs.map(([name, path]) => html`<li key=${path}><a href=${href(path)}>${name}</a></li>`)}<li aria-current="page"><bdi>${title}</bdi></li></ol></nav>`}
    <div class="page-head">
      <div><h1><bdi>${title}</bdi> ${badge}</h1>${sub && html`<p>${sub}</p>`}</div>
      ${children && html`<div class="row">${children}</div>`}
    </div>`;
}

let panels = 0;

/** @param {{ title?: any, note?: any, actions?: any, class?: string, children?: any, footer?: any, level?: number }} props */
export function Panel({ title, note, actions, class: classes = "", children, footer }) {
  const [id] = useState(() => `panel-${++panels}`);
  return html`<section class=${`panel ${classes}`} aria-labelledby=${title ? id : undefined}>
    ${title && html`<header><h2 id=${id}>${title}</h2>${note && html`<span class="soft">${note}</span>`}${actions && html`<span class="spring"></span>${actions}`}</header>`}
    ${children}
    ${footer && html`<footer>${footer}</footer>`}
  </section>`;
}

/** Names with values. @param {{ rows: ([any, any] | false | null | undefined)[] }} props */
export const Facts = ({ rows }) => html`<dl class="kv">${rows.map((row) => row && html`<dt>${row[0]}</dt><dd>${row[1] ?? html`<span class="soft">–</span>`}</dd>`)}</dl>`;

/** @param {{ tone?: string, icon?: string, title: any, children?: any, actions?: any, role?: string }} props */
export function Notice({ tone = "", icon = "info", title, children, actions, role }) {
  return html`<div class=${`notice ${tone}`} role=${role}><${Icon} name=${icon} /><div><b>${title}</b>${children && html`<p>${children}</p>`}${actions && html`<div class="row">${actions}</div>`}</div></div>`;
}

/** What went wrong, in the server's own words, with what support needs. @param {{ error: any, retry?: () => void }} props */
export function ProblemNotice({ error, retry }) {
  if (!error) return null;
  const isProblem = error instanceof Problem;
  const issues = isProblem ? error.issues.filter((issue) => issue.message && issue.message !== error.detail) : [];
  return html`<div class="notice bad" role="alert">
    <${Icon} name="stop" />
    <div>
      <b>${error.message}</b>
      ${isProblem && error.detail && html`<p>${error.detail}</p>`}
      ${issues.length > 0 && html`<ul class="small issues">${issues.slice(0, 8).map((issue) => html`<li>${issue.field && html`<code>${issue.field}</code> `}${issue.message}</li>`)}</ul>`}
      ${isProblem && html`<p class="tiny soft"><code>${error.code}</code>${error.requestId && html` · request <code>${error.requestId}</code>`}</p>`}
      ${retry && html`<div class="row"><button class="btn compact" type="button" onClick=${retry}>Try again</button></div>`}
    </div>
  </div>`;
}

/**
 * A button. While it is busy it keeps its words and can't be pressed again.
 * @param {{ busy?: boolean, primary?: boolean, danger?: boolean, ghost?: boolean, compact?: boolean, icon?: string, href?: string, why?: string, type?: string, onClick?: (event: any) => void, children?: any, label?: string, class?: string, form?: string }} props
 */
export function Button({ busy, primary, danger, ghost, compact, icon, href: path, why, type = "button", onClick, children, label, class: more = "", form }) {
  const classes = `btn ${primary ? "primary" : ""} ${danger ? "danger" : ""} ${ghost ? "ghost" : ""} ${compact ? "compact" : ""} ${label && !children ? "square" : ""} ${more}`;
  const drawing = busy ? html`<${Icon} name="spinner" class=${`icon spin ${compact ? "s" : ""}`} />` : icon && html`<${Icon} name=${icon} class=${`icon ${compact ? "s" : ""}`} />`;
  if (path) return html`<a class=${classes} href=${path} aria-label=${label}>${drawing}${children}</a>`;
  const stop = busy || why;
  return html`<button class=${classes} type=${type} form=${form} aria-label=${label} aria-disabled=${stop ? "true" : undefined} aria-busy=${busy ? "true" : undefined} title=${why}
    onClick=${(/** @type {Event} */ event) => { if (stop) event.preventDefault(); else onClick?.(event); }}>${drawing}${children}</button>`;
}

/** What would be here, and the next step. @param {{ title: any, icon?: string, children?: any, actions?: any, level?: string }} props */
export function Empty({ title, children, actions, level = "h2" }) {
  return html`<div class="empty">
    <svg viewBox="0 0 88 64" aria-hidden="true"><path d="M8 56h72M20 56V30h20v26M48 56V22h22v34M24 38h12M52 30h14" /><path class="hit" d="M30 30V12h18v10" /></svg>
    <${level}>${title}<//>${children && html`<p>${children}</p>`}${actions && html`<div class="row">${actions}</div>`}
  </div>`;
}

/** Bones in the shape of what comes, after 200 ms of waiting. @param {{ rows?: number }} props */
export function Skeleton({ rows = 6 }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return html`<div class="waiting" aria-busy="true"></div>`;
  return html`<div class="bones" role="status" aria-label="Loading">${Array.from({ length: rows }, (_, row) => html`<span class="bone-row" key=${row}><span class="bone w1"></span><span class="bone pill"></span><span class="bone w3"></span><span class="bone w2"></span></span>`)}</div>`;
}

/**
 * Shows a resource: bones while it is read, its problem, or its content.
 * @param {{ of: { data: any, error: any, reload: () => void }, children: (data: any) => any, rows?: number }} props
 */
export function Loaded({ of, children, rows }) {
  if (of.data === undefined) return of.error ? html`<div class="pad"><${ProblemNotice} error=${of.error} retry=${of.reload} /></div>` : html`<${Skeleton} rows=${rows} />`;
  return children(of.data);
}

/** @param {{ tabs: [string, string, any?][], current: string, label: string, path: (key: string) => string }} props */
export function Tabs({ tabs, current, label, path }) {
  return html`<nav class="tabs page-tabs" aria-label=${label}>${tabs.map(([key, name, count]) => html`<a key=${key} href=${path(key)} aria-current=${key === current ? "page" : undefined}>${name}${count !== undefined && count !== null && html` <span class="count">${count}</span>`}</a>`)}</nav>`;
}

/** A text with a button that copies it. @param {{ text: string, label?: string }} props */
export function Copy({ text, label = "Copy" }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast("Copied.");
    } catch {
      toast("The browser does not allow copying here. Select the text instead.", { tone: "bad" });
    }
  };
  return html`<button class="btn ghost compact square" type="button" aria-label=${label} onClick=${copy}><${Icon} name="copy" class="icon s" /></button>`;
}

/** An identifier, to copy. @param {{ id: string }} props */
export const Identifier = ({ id }) => html`<span class="mono tiny">${id}</span> <${Copy} text=${id} label="Copy the identifier" />`;

/** Shows its children to viewers with one of the scopes. @param {{ scope: string | string[], children: any }} props */
export function Allowed({ scope, children }) {
  const me = useMe();
  const scopes = me?.scopes ?? [];
  return [scope].flat().some((one) => scopes.includes(one) || scopes.includes("*")) ? children : null;
}

/** @param {{ codes?: string[] | null }} props */
export const TagList = ({ codes }) => (codes?.length ? codes.map((code) => html`<span class="tag" key=${code}><bdi>${code}</bdi></span> `) : html`<span class="soft">none</span>`);
