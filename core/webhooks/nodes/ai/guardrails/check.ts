/** The results of the checks of the Guardrails node. */

/** The result of one check. */
export interface CheckResult {
  name: string;
  triggered: boolean;
  confidenceScore?: number;
  info: Record<string, unknown>;
  /** The parts of the text that a sanitized text hides, by the name that replaces them. */
  hidden?: Record<string, string[]>;
}

/** A check that could not be made. */
export interface FailedCheck {
  name: string;
  error: Error;
}

/** A check of a text. Rejects if the check could not be made. */
export interface Check {
  name: string;
  run(text: string): CheckResult | Promise<CheckResult>;
}

/** The result as the items of the node show it. */
export function shownResult(result: CheckResult | FailedCheck): object {
  if ('error' in result) {
    const { name, message } = result.error;
    const exception = { name, description: message };
    return { name: result.name, triggered: true, executionFailed: true, exception, info: {} };
  }
  const { name, triggered, confidenceScore, info } = result;
  return {
    name,
    triggered,
    ...(confidenceScore !== undefined && { confidenceScore, executionFailed: false }),
    info,
  };
}

/** The text in which `<NAME>` stands for every hidden part. Longer parts go first, because others may lie in them. */
export function sanitized(text: string, results: CheckResult[]): string {
  const names = new Map<string, string>();
  for (const { hidden = {} } of results) {
    for (const [name, parts] of Object.entries(hidden)) {
      for (const part of parts) if (part !== '') names.set(part, `<${name}>`);
    }
  }
  let hiding = text;
  for (const [part, name] of [...names].sort(([a], [b]) => b.length - a.length))
    hiding = hiding.replaceAll(part, () => name);
  return hiding;
}
