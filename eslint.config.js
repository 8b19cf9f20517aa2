import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** What the page takes from the browser. */
const BROWSER =
  "document history location navigator localStorage sessionStorage fetch AbortController TextDecoderStream URL Blob crypto URLSearchParams HTMLElement File matchMedia addEventListener removeEventListener setTimeout clearTimeout setInterval clearInterval".split(
    " ",
  );

export default defineConfig(
  globalIgnores([
    "dist/",
    "coverage/",
    "node_modules/",
    ".corrective-rag/",
    ".langgraph_api/",
    "ui/vendor/",
  ]),
  {
    files: ["src/**/*.ts", "tests/**/*.ts", "evals/**/*.ts", "bench/**/*.ts", "examples/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-import-type-side-effects": "error",
      // Numbers and booleans print as they read; what must not be printed by accident are objects.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-meaningless-void-operator": "off",
      // What crosses a boundary (a log, a store, a foreign document) is checked even where its type promises more.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // A port is asynchronous also where one implementation has nothing to wait for.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "none" },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "no-restricted-syntax": [
        "error",
        { selector: "ExportAllDeclaration", message: "Name what is exported." },
        { selector: "ExportDefaultDeclaration", message: "Export by name." },
      ],
      eqeqeq: "error",
    },
  },
  {
    // A file is one concept; whatever needs more lines holds two. Prettier wraps code, but neither
    // comments nor patterns.
    files: ["src/**/*.ts"],
    rules: { "max-lines": ["error", 310], "max-len": ["error", 100] },
  },
  {
    // The page runs as it is written: what the compiler says of the rest is checked here by rules.
    files: ["ui/*.js"],
    languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "consistent-return": "error",
      "default-case-last": "error",
      eqeqeq: "error",
      "no-const-assign": "error",
      "no-dupe-else-if": "error",
      "no-dupe-keys": "error",
      "no-duplicate-imports": "error",
      "no-eval": "error",
      "no-fallthrough": "error",
      "no-implied-eval": "error",
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property })),
      ],
      "no-self-compare": "error",
      "no-shadow": "error",
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unsafe-optional-chaining": "error",
      "no-unused-expressions": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-useless-concat": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "require-await": "error",
    },
  },
  {
    // Written for the compiler: what counts is the type of a value, not the value.
    files: ["tests/types/*.ts"],
    rules: {
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unused-vars": "off",
    },
  },
  {
    files: ["tests/**/*.ts", "evals/**/*.ts", "bench/**/*.ts"],
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
);
