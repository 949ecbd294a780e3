// Texts as the page has them for its script, filled: "{name}"; and numbers as its language writes them.
const { dir, lang } = document.documentElement;
const locale = lang === "ar" ? "ar-u-nu-latn" : lang;
const kinds = new Intl.PluralRules(lang);
const numbers = new Intl.NumberFormat(locale);
const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const number = (value) => numbers.format(value);
export const tenth = (value) => tenths.format(value);
export const percent = (share) => new Intl.NumberFormat(locale, { style: "percent" }).format(share);
export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** The one of the forms of a text that a number takes, filled with it. */
export const counted = (forms, value, values = {}) => filled(forms[kinds.select(value)] ?? forms.other, { number: number(value), ...values });

/** A stretch of time as people say it: "20 seconds". */
export function stretch(seconds) {
  const minutes = Math.round(seconds / 60);
  const rounded = Math.max(10, 10 * Math.round(seconds / 10));
  const [value, unit] = seconds < 90 ? [rounded, "second"] : minutes < 90 ? [minutes, "minute"] : [Math.round(minutes / 60), "hour"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(value);
}

/** A name among letters from right to left: what stands beside it keeps its place. */
export const isolated = (name) => (dir === "rtl" ? `\u2068${name}\u2069` : name);
export const named = (text, name, values = {}) => filled(text, { name: isolated(name), ...values });
