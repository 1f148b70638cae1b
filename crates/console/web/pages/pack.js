// The pack station: scanner first, read from two metres, no mouse. The field takes the focus back after every scan.
import { html, useEffect, useRef, useState } from "../app/html.js";
import { get, post, Problem, randomKey, remove, withQuery } from "../app/api.js";
import { useKeys } from "../app/keyboard.js";
import { useResource } from "../app/resource.js";
import { go, href } from "../app/router.js";
import { can, useMe } from "../app/session.js";
import { sounds } from "../app/sound.js";
import { Button, Loaded } from "../components/basics.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/form.js";
import { Icon, Mark } from "../components/icon.js";
import { Contents, Verdict, verdictOf } from "../components/station.js";
import { useItems } from "../components/places.js";

const AUTOMATIC = "dockside.pack.then";

/** The scope that each step after the last scan needs. */
const STEP_SCOPES = /** @type {Record<string, string>} */ ({ purchase: "shipments:purchase", print: "print_jobs:write" });

/** What follows the last scan, as this station is set. */
function keptSteps() {
  try {
    return JSON.parse(localStorage.getItem(AUTOMATIC) ?? "null") ?? ["purchase", "print"];
  } catch {
    return ["purchase", "print"];
  }
}

/**
 * Finds the shipment that a code on an order or a label means.
 * @param {string} code
 */
async function findShipment(code) {
  if (/^shp_/.test(code)) return code;
  const asOrder = await get(withQuery("/shipments", { reference: code, limit: 20 }));
  const byTracking = asOrder.data.data.length ? null : await get(withQuery("/shipments", { tracking_number: code, limit: 5 }));
  const found = [...asOrder.data.data, ...(byTracking?.data.data ?? [])].filter((shipment) => shipment.status !== "voided");
  return (found.find((shipment) => !shipment.packed_at) ?? found[0])?.id ?? null;
}

/** @param {{ parts: (string | undefined)[] }} props */
export function Pack({ parts: [id] }) {
  return id ? html`<${Packing} id=${id} key=${id} />` : html`<${Waiting} />`;
}

/** @param {{ title: any, note?: any, steps: string[], onSteps: (steps: string[]) => void }} props */
function StationBar({ title, note, steps, onSteps }) {
  const me = useMe();
  const toggle = (/** @type {string} */ step) => onSteps(steps.includes(step) ? steps.filter((one) => one !== step) : [...steps, step]);
  return html`<header class="station-bar">
    <a class="brand" href=${href("/")} aria-label="Dockside, back to Today"><${Mark} /></a><b>Pack station</b>
    <span class="spring"></span>${title}<span class="soft p2">${note}</span><span class="spring"></span>
    ${[["purchase", "Buy when packed"], ["print", "Print"]].map(([step, name]) => can(STEP_SCOPES[step]) && html`<label class="tick-field small p2" key=${step}><span class="check"><input type="checkbox" checked=${steps.includes(step)} onChange=${() => toggle(step)} /></span>${name}</label>`)}
    <span class="p2 soft"><bdi>${me?.user.name ?? ""}</bdi></span>
    <a class="btn" href=${href("/")}>Leave <kbd>F10</kbd></a>
  </header>`;
}

/** A field that a keyboard-wedge scanner types into. @param {{ placeholder: string, onCode: (code: string) => void, busy: boolean, children?: any }} props */
function Scanner({ placeholder, onCode, busy, children }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [code, setCode] = useState("");
  useEffect(() => {
    const back = () => {
      if (!document.querySelector("dialog[open]") && (document.activeElement === document.body || document.activeElement?.id === "main")) field.current?.focus();
    };
    field.current?.focus();
    const timer = setInterval(back, 400);
    return () => clearInterval(timer);
  }, []);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = code.trim();
    setCode("");
    if (text) onCode(text);
    field.current?.focus();
  };
  return html`<form class="scan" aria-label="Scanner" aria-busy=${String(busy)} onSubmit=${submit}><label for="code">Scan</label><input class="input" id="code" ref=${field} autocomplete="off" autocapitalize="off" spellcheck="false" placeholder=${placeholder} value=${code} onInput=${(/** @type {any} */ event) => setCode(event.target.value)} />${children}</form>`;
}

function useSteps() {
  const [steps, setSteps] = useState(() => keptSteps().filter((/** @type {string} */ step) => can(STEP_SCOPES[step] ?? "")));
  const keep = (/** @type {string[]} */ next) => {
    setSteps(next);
    try {
      localStorage.setItem(AUTOMATIC, JSON.stringify(next));
    } catch {
      // The choice holds for this page.
    }
  };
  return /** @type {[string[], (steps: string[]) => void]} */ ([steps, keep]);
}

function Waiting() {
  const [verdict, setVerdict] = useState(/** @type {any} */ ({ tone: "wait", word: "Ready", what: "Scan an order", small: "Its reference, its tracking number or a shipment’s label.", then: "The scanner types into the field below." }));
  const [steps, setSteps] = useSteps();
  const [isBusy, setBusy] = useState(false);
  const queue = useResource(can("shipments:read") ? "/shipments?status=draft&limit=20" : null, (event) => event.type.startsWith("shipment."));
  useKeys({ F10: () => go("/") });
  useEffect(() => {
    document.title = "Pack station · Dockside";
  }, []);
  const open = async (/** @type {string} */ code) => {
    setBusy(true);
    try {
      const id = await findShipment(code);
      if (id) return go(`/pack/${id}`);
      sounds.wrong();
      setVerdict({ tone: "wrong", word: "Not found", what: code, small: "No shipment of an order has this reference or tracking number.", then: "Scan the order’s reference on its pick list or packing slip." });
    } catch (error) {
      sounds.wrong();
      setVerdict({ tone: "wrong", word: "Not reached", what: error instanceof Error ? error.message : String(error), then: "Scan again." });
    } finally {
      setBusy(false);
    }
    return undefined;
  };
  const rows = (queue.data?.data ?? []).filter((/** @type {any} */ shipment) => shipment.order_id && !shipment.packed_at);
  return html`<${StationBar} title=${null} steps=${steps} onSteps=${setSteps} />
    <main class="station-body" id="main"><h1 class="unseen">Pack station</h1><${Verdict} ...${verdict} />
      <section class="panel todo" aria-labelledby="queue"><header><h2 id="queue">Waiting</h2><span class="spring"></span><span class="n">${rows.length}${queue.data?.next_cursor ? "+" : ""}</span></header>
        <ul tabindex="0" aria-label="Shipments that wait">${rows.map((/** @type {any} */ row) => html`<li key=${row.id}><div><a class="plain" href=${href(`/pack/${row.id}`)}><bdi>${row.name ?? row.id}</bdi></a><span class="sub"><bdi>${row.addresses.destination.contact?.name ?? ""}, ${row.addresses.destination.address.city}</bdi></span></div><span class="n">${row.packages.reduce((/** @type {number} */ sum, /** @type {any} */ box) => sum + (box.items ?? []).reduce((/** @type {number} */ units, /** @type {any} */ item) => units + item.quantity, 0), 0)}<small> units</small></span></li>`)}</ul>
        <footer><${Icon} name="info" /><span>${rows.length ? "Scan one, or choose it here." : "Nothing waits. A wave makes shipments to pack."}</span></footer></section>
    </main><${Scanner} placeholder="Order" onCode=${open} busy=${isBusy} />`;
}

/** @param {{ id: string }} props */
function Packing({ id }) {
  const shipment = useResource(`/shipments/${id}`, (event) => event.data?.object?.id === id);
  const scans = useResource(`/shipments/${id}/scans?limit=100`, (event) => event.type.startsWith("scan.") || event.data?.object?.id === id);
  return html`<${Loaded} of=${shipment}>${(/** @type {any} */ data) => html`<${Loaded} of=${scans}>${(/** @type {any} */ past) => html`<${Desk} shipment=${data} scans=${past.data} reload=${() => Promise.all([shipment.reload(), scans.reload()])} />`}<//>`}<//>`;
}

/** @param {{ shipment: any, scans: any[], reload: () => Promise<any> }} props */
function Desk({ shipment, scans, reload }) {
  const [steps, setSteps] = useSteps();
  const [answer, setAnswer] = useState(/** @type {any} */ (null));
  const [verdict, setVerdict] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const [short, setShort] = useState(false);
  const line = useRef(/** @type {Promise<any>} */ (Promise.resolve()));
  const items = useItems(shipment.packages.flatMap((/** @type {any} */ box) => (box.items ?? []).map((/** @type {any} */ item) => item.id)));
  const progress = answer?.packages ?? shipment.packages.map((/** @type {any} */ box, /** @type {number} */ place) => ({ package: place + 1, items: (box.items ?? []).map((/** @type {any} */ item) => ({ id: item.id, quantity: item.quantity, packed_quantity: packedOf(scans, item.id, place + 1), missing_quantity: item.quantity - packedOf(scans, item.id, place + 1) })) }));
  const isDone = answer?.is_complete ?? !!shipment.packed_at;
  const name = shipment.name ?? shipment.id;

  const scan = async (/** @type {string} */ code) => {
    if (isDone) {
      const other = await findShipment(code).catch(() => null);
      if (other && other !== shipment.id) return go(`/pack/${other}`);
    }
    setBusy(true);
    try {
      const { data } = await post(`/shipments/${shipment.id}/scans`, { scan_id: randomKey(), code, then: steps });
      setAnswer(data);
      const next = verdictOf(data, items);
      setVerdict(next);
      sounds[next.tone === "wrong" ? "wrong" : data.is_complete ? "done" : "right"]();
      if (data.is_complete) reload();
    } catch (error) {
      sounds.wrong();
      setVerdict({ tone: "wrong", word: "Refused", what: error instanceof Problem ? error.title : "The server can’t be reached", small: error instanceof Problem ? (error.issues[0]?.message ?? error.detail) : "", then: "Nothing was counted." });
    } finally {
      setBusy(false);
    }
    return undefined;
  };
  // Scans are counted in the order in which they were made, however fast they come.
  const queued = (/** @type {string} */ code) => {
    line.current = line.current.then(() => scan(code));
  };
  const undo = async () => {
    const last = answer?.scan_id ?? scans.find((one) => one.result === "packed")?.scan_id;
    if (!last) return;
    try {
      await remove(`/shipments/${shipment.id}/scans/${last}`);
      setAnswer(null);
      setVerdict({ tone: "wait", word: "Undone", what: "The last scan does not count", then: "Scan on." });
      await reload();
    } catch (error) {
      setVerdict({ tone: "wrong", word: "Not undone", what: error instanceof Error ? error.message : "", then: "What is bought can’t be unpacked." });
    }
  };
  useKeys({ F2: undo, F4: () => !isDone && setShort(true), F10: () => go("/pack") });
  const total = progress.flatMap((/** @type {any} */ box) => box.items);
  const packed = total.reduce((/** @type {number} */ sum, /** @type {any} */ item) => sum + item.packed_quantity, 0);
  const all = total.reduce((/** @type {number} */ sum, /** @type {any} */ item) => sum + item.quantity, 0);
  const resting = isDone ? { tone: "done", word: "All packed", what: "This parcel is packed", small: shipment.status === "purchased" ? "Its label is bought." : "", then: "Scan the next order." } : { tone: "wait", word: "Ready", what: "Scan the items", small: `${all - packed} of ${all} are missing.`, then: "Barcode, SKU or bin." };
  return html`<${StationBar} title=${html`<span><span class="soft">Order</span> <b><bdi>${name}</bdi></b></span>`} note=${shipment.packages.length > 1 ? `${shipment.packages.length} parcels` : ""} steps=${steps} onSteps=${setSteps} />
    <main class="station-body" id="main"><h1 class="unseen">Pack ${name}</h1><${Verdict} ...${verdict ?? resting} />
      <${Contents} progress=${progress} items=${items} packed=${packed} all=${all} shipment=${shipment} last=${answer?.item_id} />
    </main>
    <${Scanner} placeholder=${isDone ? "Next order" : "Item or bin"} onCode=${queued} busy=${isBusy}><${Button} onClick=${undo}>Undo <kbd>F2</kbd><//><${Button} why=${isDone ? "Everything is packed" : undefined} onClick=${() => setShort(true)}>Short <kbd>F4</kbd><//><//>
    ${short && html`<${ShortDialog} shipment=${shipment} missing=${total.filter((/** @type {any} */ item) => item.missing_quantity > 0)} items=${items} onClose=${() => setShort(false)} onDone=${(/** @type {any} */ result) => { setShort(false); setAnswer(null); if (result.is_shipment_deleted) go("/pack"); else reload(); }} />`}`;
}

/** @param {any[]} scans @param {string} item @param {number} box */
const packedOf = (scans, item, box) => scans.filter((one) => one.result === "packed" && one.item_id === item).flatMap((one) => one.parts).filter((part) => part.package === box).reduce((sum, part) => sum + part.quantity, 0);

/** @param {{ shipment: any, missing: any[], items: Map<string, any>, onClose: () => void, onDone: (result: any) => void }} props */
function ShortDialog({ shipment, missing, items, onClose, onDone }) {
  const [item, setItem] = useState(missing[0]?.id ?? "");
  const [quantity, setQuantity] = useState("1");
  const [reason, setReason] = useState("");
  const [writeOff, setWriteOff] = useState(true);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      onDone((await post(`/shipments/${shipment.id}/shorts`, { item_id: item, quantity: Number(quantity), reason, adjust_stock: writeOff })).data);
    } catch (error) {
      setProblem(error);
    }
  };
  return html`<${Dialog} title="Short: units are not there" onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="short-form">Report short<//>`}>
    <form id="short-form" class="stack loose" onSubmit=${submit}>
      <${Field} label="Item" type="select" value=${item} onChange=${setItem} options=${missing.map((one) => [one.id, `${items.get(one.id)?.name ?? one.id}, ${one.missing_quantity} missing`])} />
      <${Field} label="Units" name="quantity" type="number" min=${1} value=${quantity} onChange=${setQuantity} problem=${problem} />
      <${Field} label="Reason" name="reason" required value=${reason} onChange=${setReason} problem=${problem} placeholder="Broken, not on the shelf" />
      <${Field} type="check" label="Write them off in the stock" value=${writeOff} onChange=${setWriteOff} />
      ${problem && html`<p class="problem"><${Icon} name="warn" /><span>${problem.message}</span></p>`}
    </form>
  <//>`;
}
