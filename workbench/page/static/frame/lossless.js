// What is said keeps its meaning on the way.
const LEVELS = 100;

// A copy that says the same on the other side, or an error that says where it would not.
export function lossless(value, path, above = []) {
  const refuse = (what) => {
    throw new TypeError(`${path} is not lossless JSON: ${what}`);
  };
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return value.isWellFormed?.() === false ? refuse("half of a surrogate pair") : value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) refuse(String(value));
    if (Object.is(value, -0)) refuse("-0");
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) refuse("an integer beyond 2^53 - 1");
    return value;
  }
  if (typeof value !== "object") refuse(value === undefined ? "undefined; leave it out, or use null" : `a ${typeof value}`);
  if (above.includes(value)) refuse("it holds itself");
  if (above.length >= LEVELS) refuse(`more than ${LEVELS} levels`);
  const inside = [...above, value];
  if (Array.isArray(value)) return Array.from(value, (each, at) => lossless(each, `${path}[${at}]`, inside));
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) refuse(`a ${proto.constructor?.name ?? "thing"} is no plain object`);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, lossless(each, `${path}.${key}`, inside)]));
}
