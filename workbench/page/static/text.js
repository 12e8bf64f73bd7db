// Outside text on its way to the page: never markup, and nothing in it stays unseen.

const C0 = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");
const NAMES = {
  0x7f: "DEL", 0x85: "NEL", 0x9b: "CSI", 0x9d: "OSC", 0xad: "SHY", 0x61c: "ALM", 0x200b: "ZWSP", 0x200c: "ZWNJ",
  0x200d: "ZWJ", 0x200e: "LRM", 0x200f: "RLM", 0x2028: "LS", 0x2029: "PS", 0x202a: "LRE", 0x202b: "RLE",
  0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI",
  0x2069: "PDI", 0xfeff: "BOM",
};
const HIDDEN = /[\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

function name(code) {
  return C0[code] ?? NAMES[code] ?? "U+" + code.toString(16).toUpperCase().padStart(4, "0");
}

// The text with bracketed names for what would not be seen, such as ‹ESC›. Emoji stay whole.
export function visible(text) {
  return String(text).replace(HIDDEN, (found, offset, all) => {
    const isJoint = /[\u200d\ufe0f]/.test(found) && /\p{Extended_Pictographic}\ufe0f?$/u.test(all.slice(Math.max(0, offset - 8), offset));
    return isJoint ? found : `‹${name(found.codePointAt(0))}›`;
  });
}

// An element with a class and children: texts and elements. Marks of hidden characters get a look of their own.
export function el(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  put(made, ...children);
  return made;
}

// Replace what an element holds, unless it reads the same already.
export function put(element, ...children) {
  const flat = children.flat().filter((each) => each !== null && each !== undefined && each !== false);
  if (flat.every((each) => typeof each !== "object")) {
    const text = flat.map(String).join("");
    if (element.said === text) return element;
    element.said = text;
    element.replaceChildren(...marked(text));
  } else {
    delete element.said;
    element.replaceChildren(...flat.flatMap((each) => (each instanceof Node ? [each] : marked(String(each)))));
  }
  return element;
}

function marked(text) {
  return visible(text).split(/(‹[A-Z0-9+ ]+›)/).filter(Boolean).map((piece) => {
    if (!/^‹[A-Z0-9+ ]+›$/.test(piece)) return document.createTextNode(piece);
    const mark = document.createElement("span");
    mark.className = "mark";
    mark.textContent = piece;
    return mark;
  });
}

// Seconds in the workbench's words: 41 s, 2 min, 1 h.
export function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  return whole < 3600 ? `${Math.floor(whole / 60)} min` : `${Math.floor(whole / 3600)} h`;
}

// At most so many characters, and whole ones.
export function cut(text, longest) {
  const all = String(text);
  return (all.length <= longest ? all : all.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "") + "…").toWellFormed();
}
