/** The package has no types for this file. */
declare module 'pyodide/pyodide.asm.mjs' {
  const createModule: (settings: object) => Promise<unknown>;
  export default createModule;
}
