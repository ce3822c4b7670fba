import { modelStrings } from '../strings/models.ts';

const strings = modelStrings.pullFailures;

/** Parts of the server's messages, and what they mean to a person. The first match counts. */
const CAUSES: [RegExp, string][] = [
  [/file does not exist|status:? 404|\b404\b|not found|manifest unknown/i, strings.notFound],
  [
    /Failed to fetch|NetworkError|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|no answer|HF_ENDPOINT/i,
    strings.offline,
  ],
  [/\b(401|403)\b|unauthorized|gated/i, strings.denied],
  [/quota|no space|ENOSPC|storage is full|\b507\b/i, strings.full],
  [/digest mismatch|does not match/i, strings.damaged],
];

/** A message for a person, with the server's own message as details where it says more. */
export function pullFailure(message: string): { text: string; details?: string } {
  const found = CAUSES.find(([pattern]) => pattern.test(message));
  return found ? { text: found[1], details: message } : { text: message };
}
