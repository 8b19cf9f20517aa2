/** Who sends a request: by a key, or by a token that an identity provider has signed. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { JWTVerifyGetKey } from "jose";
import { z } from "zod";
import type { Settings } from "../settings/table.js";
import { UserError } from "../support/errors.js";
import { HttpProblem } from "./http-problem.js";

export interface Identity {
  /** Under which threads, runs and feedback are stored. */
  readonly owner: string;
  /** The name that documents' permissions know, and the groups. */
  readonly principal: { readonly id: string; readonly groups?: readonly string[] };
  /** May change the documents, which all clients share. */
  readonly isAdmin: boolean;
}

export type Gatekeeper = ReturnType<typeof createGatekeeper>;

const LOCAL: Identity = { owner: "local", principal: { id: "local" }, isAdmin: true };

type Keys = Pick<
  Settings,
  "admins" | "apiKeys" | "jwtJwksUrl" | "jwtIssuer" | "jwtAudience" | "jwtAlgorithm"
>;

/** @throws UserError if tokens are configured in part */
export function createGatekeeper(settings: Keys) {
  const keys = (settings.apiKeys ?? []).map(splitKey);
  const verify = tokenVerifier(settings);
  const known = (owner: string, principal: Identity["principal"]): Identity => {
    const names = [principal.id, ...(principal.groups ?? [])];
    const isAdmin = settings.admins?.some((each) => names.includes(each)) ?? true;
    return { owner, principal, isAdmin };
  };
  const isOpen = keys.length === 0 && verify === undefined;
  return {
    /** True if everybody is the same client, because neither keys nor tokens are set. */
    isOpen,
    /** @returns undefined for a request without a valid key or token */
    async identify(headers: Headers): Promise<Identity | undefined> {
      if (isOpen) return LOCAL;
      const sent = headers.get("x-api-key") ?? bearer(headers.get("authorization"));
      // An empty key would match an entry like `anna:`.
      if (sent === undefined || sent === "" || sent.length > 16_384) return undefined;
      // In constant time, whatever the length.
      const found = keys.find(({ key }) => timingSafeEqual(digest(key), digest(sent)));
      if (found !== undefined) return known(`key:${found.name}`, { id: found.name });
      const claims = await verify?.(sent);
      return claims && known(`token:${claims.id}`, claims);
    },
  };
}

const Claims = z.object({
  sub: z.string().min(1).max(256),
  groups: z.array(z.string().min(1).max(256)).max(500).optional().catch(undefined),
});

/** Codes of errors that say nothing of a token: no answer, none in time, or another than keys. */
const KEYS_AWAY = ["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"];

/** Returns the verifier of tokens; issuer, audience and algorithm are never the token's choice. */
function tokenVerifier({ jwtJwksUrl, jwtIssuer, jwtAudience, jwtAlgorithm }: Keys) {
  if ([jwtJwksUrl, jwtIssuer, jwtAudience].every((each) => each === undefined)) return undefined;
  if (jwtJwksUrl === undefined || jwtIssuer === undefined || jwtAudience === undefined)
    throw new UserError(
      "tokens need CRAG_JWT_JWKS_URL, CRAG_JWT_ISSUER and CRAG_JWT_AUDIENCE",
      "set all three",
    );
  const options = {
    issuer: jwtIssuer,
    audience: jwtAudience,
    algorithms: [jwtAlgorithm],
    requiredClaims: ["exp", "sub"],
  };
  let keys: JWTVerifyGetKey | undefined;
  return async (token: string): Promise<Identity["principal"] | undefined> => {
    if (token.split(".").length !== 3) return undefined;
    const { createRemoteJWKSet, errors, jwtVerify } = await import("jose");
    keys ??= createRemoteJWKSet(new URL(jwtJwksUrl), { timeoutDuration: 5_000 });
    try {
      const { sub, groups } = Claims.parse((await jwtVerify(token, keys, options)).payload);
      return { id: sub, ...(groups && { groups }) };
    } catch (error) {
      const isToken = error instanceof errors.JOSEError && !KEYS_AWAY.includes(error.code);
      if (isToken || error instanceof z.ZodError) return undefined;
      throw new HttpProblem(503, "the keys of the identity provider cannot be read", {
        retryAfter: 5,
      });
    }
  };
}

function bearer(header: string | null): string | undefined {
  return header?.toLowerCase().startsWith("bearer ") ? header.slice(7).trim() : undefined;
}

/** Splits `anna:secret` into name and key; a key without a name is named by its hash. */
function splitKey(entry: string): { name: string; key: string } {
  const colon = entry.indexOf(":");
  if (colon > 0) return { name: entry.slice(0, colon), key: entry.slice(colon + 1) };
  return { name: `key-${digest(entry).toString("hex").slice(0, 8)}`, key: entry };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
