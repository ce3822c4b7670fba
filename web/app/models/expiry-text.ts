import { strings } from '../strings.ts';
import { duration } from '../ui/format.ts';

const words = strings.models;

/** A model that stays for more than a year stays for good. */
const FOR_GOOD = 365 * 24 * 3600;

/** Seconds until a model leaves, in words. */
export function timeLeft(expires: string, now: number): string {
  const seconds = (Date.parse(expires) - now) / 1000;
  if (!(seconds < FOR_GOOD)) return words.stays;
  return seconds <= 0 ? words.leaving : words.leaves(duration(seconds));
}
