import { modelStrings } from '../strings/models.ts';
import { duration } from '../ui/format.ts';

const strings = modelStrings;

/** Seconds. Ollama states an expiry centuries away for a model that never unloads. */
const FOREVER = 365 * 24 * 3600;

/** The time until a model unloads, as text. */
export function expiryText(expires: string, now: number): string {
  const seconds = (Date.parse(expires) - now) / 1000;
  if (!(seconds < FOREVER)) return strings.staysLoaded;
  return seconds <= 0 ? strings.unloading : strings.unloadsIn(duration(seconds));
}
