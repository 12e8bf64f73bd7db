// How much an outside value is, told before anything is done with it.

const LEVELS = 105; // those of lossless JSON, and what a message puts around it

// Characters and items of plain JSON; Infinity for what is no JSON, is too deep, or is more than `most`. What holds
// the same thing twice counts it twice, as its text would; an array counts by its length, whatever is in it.
export function weigh(value, most) {
  let weight = 0;
  let open = [value];
  for (let level = 0; open.length; level += 1) {
    if (level > LEVELS) return Infinity;
    const inside = [];
    for (const each of open) {
      weight += 1;
      if (typeof each === "string") weight += each.length;
      else if (typeof each === "number") weight += Number.isFinite(each) ? 0 : Infinity;
      else if (typeof each === "object" && each !== null) {
        const isList = Array.isArray(each);
        if (!isList && Object.getPrototypeOf(each) !== Object.prototype) return Infinity;
        if (isList && weight + inside.length + each.length > most) return Infinity;
        const keys = Object.keys(each);
        if (isList && keys.length !== each.length) return Infinity; // holes, or names of its own
        for (const key of keys) {
          if (!isList) weight += key.length;
          inside.push(each[key]);
        }
      } else if (each !== null && typeof each !== "boolean") return Infinity;
      if (weight + inside.length > most) return Infinity;
    }
    open = inside;
  }
  return weight;
}
