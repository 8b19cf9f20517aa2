/**
 * Jest's environment for Node, but a worker has one for all of its files of tests, and evaluates a
 * package once and not for each file: two thirds of what a file takes before its first test, and
 * code that stays compiled. Our own modules and those of the tests are new in each file. A file
 * that replaces modules names Jest's own in its first comment: `@jest-environment node`.
 */
import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

/** What Jest leaves on the global object, by which a file would hear of the tests of the last. */
const OF_A_FILE = ["EVENT_HANDLERS", "RETRY_TIMES", "TEST_TIMEOUT_SYMBOL"].map(Symbol.for);

/** The environment of this worker. */
let only;
/** Imports for the file that is running, which a package may ask for later than it was evaluated. */
let importNow;
/** By path. */
const packages = new Map();

const { SourceTextModule } = vm;
vm.SourceTextModule = class extends SourceTextModule {
  constructor(code, options) {
    const isShared = options.context === only?.context;
    if (isShared) importNow = options.importModuleDynamically;
    if (!isShared || !options.identifier.includes("/node_modules/")) {
      super(code, options);
      return;
    }
    const before = packages.get(options.identifier);
    if (before?.status === "evaluated") return before;
    super(code, { ...options, importModuleDynamically: (...asked) => importNow(...asked) });
    packages.set(options.identifier, this);
  }
};

export default class PackagesOnce extends TestEnvironment {
  constructor(...given) {
    if (only !== undefined) return only;
    super(...given);
    only = this;
    this.restore = [restorer(this.global), restorer(this.global.process)];
    this.variables = { ...this.global.process.env };
  }

  async teardown() {
    this.fakeTimersModern.useRealTimers();
    for (const restore of this.restore) restore();
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in this.variables)) delete env[name];
    Object.assign(env, this.variables);
    for (const key of Object.getOwnPropertySymbols(this.global))
      if (OF_A_FILE.includes(key) || key.description === "JEST_STATE_SYMBOL")
        this.global[key] = undefined;
    // It keeps all values that a global ever had.
    this._globalProxy.leftovers = [];
  }
}

/** Gives an object back the properties that it has now; what was added stays, since packages add. */
function restorer(object) {
  const before = Object.entries(Object.getOwnPropertyDescriptors(object));
  return () => {
    for (const [name, was] of before) {
      const is = Object.getOwnPropertyDescriptor(object, name);
      if (was.configurable && (is?.value !== was.value || is?.get !== was.get))
        Object.defineProperty(object, name, was);
    }
  };
}
