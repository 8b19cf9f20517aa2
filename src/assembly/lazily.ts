export { once as lazily } from "../support/once.js";
