import { modelStrings } from '../strings/models.ts';
import { duration } from '../ui/format.ts';

const strings = modelStrings;

/** A model that stays for more than a year stays for good. */
const FOREVER = 365 * 24 * 3600;

/** Seconds until a model leaves, in strings. */
export function expiryText(expires: string, now: number): string {
  const seconds = (Date.parse(expires) - now) / 1000;
  if (!(seconds < FOREVER)) return strings.staysLoaded;
  return seconds <= 0 ? strings.unloading : strings.unloadsIn(duration(seconds));
}
