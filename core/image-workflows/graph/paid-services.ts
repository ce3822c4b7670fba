/** Classes of ComfyUI that send their work to a service of another company, for money. None of them exists here. */
import services from './paid-services.json' with { type: 'json' };

const PATTERNS = services.patterns.map((pattern) => new RegExp(pattern));

/** Whether a class calls a paid service. The names are those of the published graphs and of ComfyUI's own list. */
export const callsPaidService = (className: string): boolean =>
  services.prefixes.some((prefix) => className.startsWith(prefix)) ||
  PATTERNS.some((pattern) => pattern.test(className));
