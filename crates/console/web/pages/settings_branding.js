// Branding: what papers for customers show.
import { html, useState } from "../app/html.js";
import { put } from "../app/api.js";
import { useAction } from "../app/action.js";
import { useResource } from "../app/resource.js";
import { can } from "../app/session.js";
import { Button, Loaded, Panel, ProblemNotice } from "../components/basics.js";
import { Field } from "../components/form.js";

/** The largest picture that is read, in bytes. */
const LOGO_BYTES_MAX = 500_000;

export function Branding() {
  const branding = useResource("/branding");
  return html`<div class="page-head"><div><h1>Branding</h1><p>What packing slips show to your customers</p></div></div>
    <${Loaded} of=${branding}>${(/** @type {any} */ data) => html`<${Form} branding=${data} reload=${branding.reload} key=${data.updated_at} />`}<//>`;
}

/** @param {{ branding: any, reload: () => Promise<void> }} props */
function Form({ branding, reload }) {
  const [draft, setDraft] = useState({ name: branding.name ?? "", colour: branding.colour ?? "", footer: branding.footer ?? "", logo: branding.logo ?? "" });
  const [trouble, setTrouble] = useState("");
  const { run, isBusy, problem } = useAction(() => put("/branding", Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ""))).then(reload), { done: "The branding is saved.", shows: true });
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => setDraft({ ...draft, [name]: value });
  const read = (/** @type {any} */ event) => {
    const [file] = event.target.files;
    if (!file) return;
    if (file.size > LOGO_BYTES_MAX) {
      setTrouble("The picture is larger than 500 kB. Make it smaller.");
      return;
    }
    const reader = new FileReader();
    reader.onload = () => {
      setTrouble("");
      setDraft({ ...draft, logo: String(reader.result).split(",")[1] ?? "" });
    };
    reader.readAsDataURL(file);
  };
  const isReadOnly = !can("organisation:write");
  return html`<${Panel}><form class="body stack loose pad-top" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); run(); }}>
    <div class="form-grid">
      <${Field} label="Name on papers" name="name" value=${draft.name} onChange=${set("name")} problem=${problem} />
      <${Field} label="Colour" name="colour" mono placeholder="#0b6e69" value=${draft.colour} onChange=${set("colour")} problem=${problem} hint="Six hexadecimal digits after #." />
      <div class="whole"><${Field} label="Text at the foot" name="footer" type="area" value=${draft.footer} onChange=${set("footer")} problem=${problem} /></div>
      <div class="whole field"><label for="logo">Logo <span class="need">PNG</span></label><input class="input" id="logo" type="file" accept="image/png" onChange=${read} />${trouble ? html`<p class="problem">${trouble}</p>` : html`<p class="hint">Black on white looks best on a label printer.</p>`}</div>
      ${draft.logo && html`<div class="whole"><img class="paper-img" src=${draft.logo.startsWith("data:") ? draft.logo : `data:image/png;base64,${draft.logo}`} alt="Your logo" /><${Button} compact ghost onClick=${() => setDraft({ ...draft, logo: "" })}>Remove the logo<//></div>`}
    </div>
    <${ProblemNotice} error=${problem} />
    ${!isReadOnly && html`<div class="row"><${Button} primary type="submit" busy=${isBusy}>Save<//></div>`}
  </form><//>`;
}
