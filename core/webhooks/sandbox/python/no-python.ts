/** The error text where Python is missing. */
export function noPython(): string {
  return 'Python runner unavailable: the package pyodide is not installed here. Install it, or write the code in JavaScript';
}
