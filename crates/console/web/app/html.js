// The view layer: templates, hooks and the parts of Preact that pages use, under one name.
import { h } from "preact";
import htm from "htm";

export { h, Fragment, render } from "preact";
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export const html = htm.bind(h);
