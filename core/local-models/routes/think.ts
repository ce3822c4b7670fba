import { ApiError, customField } from '#core/http';
import type { ThinkLevel } from '../base/messages.ts';

const LEVELS = ['high', 'medium', 'low', 'max'];
const CHOICES = '"high", "medium", "low", "max", true, or false';

/** Decodes `think`: a boolean or a level. */
export const think = customField<boolean | ThinkLevel>('api.ThinkValue', (node) => {
  if (node.type === 'null') return undefined;
  if (node.type === 'bool') return node.value;
  if (node.type !== 'string') throw new ApiError(400, `think must be a boolean or string (${CHOICES})`);
  if (!LEVELS.includes(node.value))
    throw new ApiError(400, `invalid think value: ${JSON.stringify(node.value)} (must be ${CHOICES})`);
  return node.value as ThinkLevel;
});
