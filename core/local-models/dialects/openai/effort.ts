import { ApiError } from '#core/http';
import type { ThinkLevel } from '../../base/messages.ts';

const EFFORTS: Record<string, false | ThinkLevel> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  ultra: 'max',
  max: 'max',
};

/** `effort` of reasoning as the model's thinking; none given leaves it to the model. Throws ApiError 400 for others. */
export function readEffort(effort: string | undefined): false | ThinkLevel | undefined {
  if (!effort) return undefined;
  if (Object.hasOwn(EFFORTS, effort)) return EFFORTS[effort];
  throw new ApiError(
    400,
    `invalid reasoning value: ${JSON.stringify(effort)} (must be "minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none")`,
  );
}
