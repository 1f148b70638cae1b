// How values are written: money with its currency, times in the viewer's zone, numbers with separators.

const LANGUAGE = "en-GB";
const DAY_MS = 86_400_000;

const number = new Intl.NumberFormat(LANGUAGE);
/** @type {Map<string, Intl.NumberFormat>} */
const currencies = new Map();

/** @param {number | null | undefined} value */
export const count = (value) => (value === null || value === undefined ? "–" : number.format(value));

/** @param {number} value @param {string} one @param {string} [many] */
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** @param {string} code */
function currency(code) {
  let format = currencies.get(code);
  if (!format) {
    try {
      format = new Intl.NumberFormat(LANGUAGE, { style: "currency", currency: code });
    } catch {
      format = number;
    }
    currencies.set(code, format);
  }
  return format;
}

/** Returns how many digits of the smallest unit a currency has. @param {string} code */
export const minorDigits = (code) => currency(code).resolvedOptions().maximumFractionDigits ?? 2;

/**
 * Writes an amount in the smallest unit of its currency.
 * @param {number | null | undefined} amount
 * @param {string | null | undefined} code
 */
export function money(amount, code) {
  if (amount === null || amount === undefined) return "–";
  if (!code) return count(amount);
  return currency(code).format(amount / 10 ** minorDigits(code));
}

/**
 * Reads an amount that a person typed, such as `6.07`, in the smallest unit.
 * @param {string} text
 * @param {string} code
 */
export function minor(text, code) {
  const value = Number(String(text).replace(/[^\d.-]/g, ""));
  return Number.isFinite(value) ? Math.round(value * 10 ** minorDigits(code)) : null;
}

/**
 * Adds amounts by currency and writes the sums.
 * @param {{ amount: number, currency_code: string }[]} costs
 */
export function sums(costs) {
  /** @type {Map<string, number>} */
  const byCurrency = new Map();
  for (const cost of costs) byCurrency.set(cost.currency_code, (byCurrency.get(cost.currency_code) ?? 0) + cost.amount);
  return [...byCurrency].map(([code, amount]) => money(amount, code)).join(" and ");
}

const clock = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(LANGUAGE, { weekday: "short", day: "numeric", month: "short" });
const short = new Intl.DateTimeFormat(LANGUAGE, { day: "numeric", month: "short" });
const long = new Intl.DateTimeFormat(LANGUAGE, { day: "numeric", month: "short", year: "numeric" });
const whole = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "full", timeStyle: "long" });

/** @param {Date} date */
const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/**
 * Writes an instant as a person would say it: "16:30" today, "Fri 13 Nov" this week, with the year when it is older.
 * @param {string | null | undefined} text
 */
export function time(text) {
  if (!text) return "–";
  const date = new Date(text);
  const days = Math.round((midnight(date) - midnight(new Date())) / DAY_MS);
  if (days === 0) return clock.format(date);
  if (days === -1) return `Yesterday ${clock.format(date)}`;
  if (days === 1) return `Tomorrow ${clock.format(date)}`;
  if (Math.abs(days) < 7) return `${weekday.format(date)} ${clock.format(date)}`;
  return date.getFullYear() === new Date().getFullYear() ? `${short.format(date)} ${clock.format(date)}` : long.format(date);
}

/** The whole instant, for `title`. @param {string | null | undefined} text */
export const instant = (text) => (text ? whole.format(new Date(text)) : undefined);

/** @param {string | null | undefined} text */
export function day(text) {
  if (!text) return "–";
  const date = text.length === 10 ? new Date(`${text}T12:00:00`) : new Date(text);
  return date.getFullYear() === new Date().getFullYear() ? weekday.format(date) : long.format(date);
}

export const today = () => new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "full" }).format(new Date());

/** How long ago something was, roughly. @param {string} text */
export function since(text) {
  const seconds = Math.max(0, (Date.now() - new Date(text).getTime()) / 1000);
  if (seconds < 60) return "less than a minute";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return plural(Math.floor(seconds / 86_400), "day");
}

/** @param {number | null | undefined} kilograms */
export const mass = (kilograms) => (kilograms === null || kilograms === undefined ? "–" : `${number.format(kilograms)} kg`);

/** @param {{ length?: number | null, width?: number | null, height?: number | null } | null | undefined} box */
export function dimensions(box) {
  if (!box?.length) return null;
  return `${[box.length, box.width, box.height].map((side) => number.format(side ?? 0)).join(" × ")} cm`;
}

const regions = new Intl.DisplayNames([LANGUAGE], { type: "region" });

/** @param {string | null | undefined} code */
export function country(code) {
  if (!code) return "";
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Makes "partially_shipped" readable. @param {string | null | undefined} code */
export function words(code) {
  const text = String(code ?? "").replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With what a session began. @type {Record<string, string>} */
export const BEGAN_WITH = { link: "a link", password: "the password", openid_connect: "the identity provider", passkey: "a passkey" };
