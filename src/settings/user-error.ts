export { UserError } from "../support/errors.js";
