// A half that has got hold of its port, and says there what it likes.
const real = MessagePort.prototype.postMessage;
const port = await new Promise((found) => {
  MessagePort.prototype.postMessage = function (...given) {
    MessagePort.prototype.postMessage = real;
    found(this);
    return real.apply(this, given);
  };
});
const say = (message) => real.call(port, message);
const many = (times, make) => { for (let n = 0; n < times; n += 1) say(make(n)); };
const folded = (times, wide) => { let value = "x"; for (let n = 0; n < times; n += 1) value = Array(wide).fill(value); return value; };
const odd = { toString: 1, valueOf: 1 };
