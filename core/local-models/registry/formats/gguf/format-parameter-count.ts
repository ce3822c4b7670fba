/** A number of parameters as Ollama's API prints it: `134.52M`, `1.2B`, `7B`, `512K`. */
export function formatParameterCount(count: number): string {
  if (count >= 1e9) return `${rounded(count / 1e9, 1)}B`;
  if (count >= 1e6) return `${rounded(count / 1e6, 2)}M`;
  if (count >= 1e3) return `${(count / 1e3).toFixed(0)}K`;
  return String(count);
}

const rounded = (value: number, digits: number) =>
  Number.isInteger(value) ? value.toFixed(0) : value.toFixed(digits);
