/** Renders formulas in TeX notation as MathML. Loaded with the first formula. */
import temml from 'temml';

/** Adds the formula to `target`. Leaves the notation where the formula has an error. */
export function renderFormula(text: string, isBlock: boolean, target: HTMLElement): void {
  try {
    // Without trust, a formula cannot load anything or link anywhere.
    temml.render(text, target, { displayMode: isBlock, trust: false, throwOnError: true, maxExpand: 200 });
  } catch {
    target.textContent = text;
  }
}
