export { memoize as memoised } from "../support/cache.js";
