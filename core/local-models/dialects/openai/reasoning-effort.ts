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

/**
 * Translates an effort of reasoning to a level of thinking. Undefined leaves it to the model.
 * @throws ApiError 400 for an unknown effort
 */
export function readEffort(effort: string | undefined): false | ThinkLevel | undefined {
  if (!effort) return undefined;
  if (Object.hasOwn(EFFORTS, effort)) return EFFORTS[effort];
  throw new ApiError(
    400,
    `invalid reasoning value: ${JSON.stringify(effort)} (must be "minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none")`,
  );
}
