// One run of one package, here. `state`: loading, loaded, waiting or failed.

export const PER_SECOND = 50, IN_FLIGHT = 16; // calls of one half
const AT_ONCE = 100;
const REPORTS = 25; // errors that one run is heard with
const TURNS_PER_SECOND = 4, TURNS_AT_ONCE = 60; // how often it may become active, or wait
const OFFERS_PER_SECOND = 1, OFFERS_AT_ONCE = 20; // how often it may offer a service

export class Half {
  constructor(told) {
    this.id = told.id;
    this.run = told.run;
    this.revision = told.revision;
    this.name = told.name;
    this.state = "loading";
    this.stage = this.message = "";
    this.waitingFor = [];
    this.titles = [];
    this.seats = new Map();
    this.provides = new Map();
    this.crashes = [];
    this.calls = new Bucket(PER_SECOND, AT_ONCE);
    this.turns = new Bucket(TURNS_PER_SECOND, TURNS_AT_ONCE);
    this.offers = new Bucket(OFFERS_PER_SECOND, OFFERS_AT_ONCE);
    this.reports = REPORTS;
    this.inFlight = 0;
  }
}

class Bucket {
  constructor(perSecond, atOnce) {
    Object.assign(this, { perSecond, atOnce, tokens: atOnce, filledAt: performance.now() });
  }

  take() {
    const now = performance.now();
    this.tokens = Math.min(this.atOnce, this.tokens + ((now - this.filledAt) / 1000) * this.perSecond);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
