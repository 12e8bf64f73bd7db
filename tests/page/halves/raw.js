// A half that has got hold of what talks to the page, and says there what it likes.
const { say } = await import("./port.js");
const many = (times, make) => { for (let n = 0; n < times; n += 1) say(make(n)); };
const folded = (times, wide) => { let value = "x"; for (let n = 0; n < times; n += 1) value = Array(wide).fill(value); return value; };
const odd = { toString: 1, valueOf: 1 };
