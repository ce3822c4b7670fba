import type { Enrichment } from './markdown.ts';

/** How many highlighted blocks to keep. While an answer grows, its finished blocks are rendered again. */
const MAX_CACHED = 200;

let highlight: typeof import('./highlight.ts') | undefined;
let formulas: typeof import('./formula.ts') | undefined;
const highlighted = new Map<string, string>();

/** Loads the libraries for code and formulas when they are first needed, then calls `loaded`. */
export class LazyEnrichment implements Enrichment {
  constructor(private readonly loaded: () => void) {}

  code(text: string, language: string): Node | undefined {
    if (!highlight) {
      void import('./highlight.ts').then((module) => {
        highlight = module;
        this.loaded();
      });
      return undefined;
    }
    const key = `${language}\n${text}`;
    const html = highlighted.get(key) ?? highlight.highlightedHtml(text, language);
    if (html === undefined) return undefined;
    if (highlighted.size >= MAX_CACHED) highlighted.clear();
    highlighted.set(key, html);
    const template = document.createElement('template');
    template.innerHTML = html;
    return template.content;
  }

  formula(text: string, isBlock: boolean): Node | undefined {
    if (!formulas) {
      void import('./formula.ts').then((module) => {
        formulas = module;
        this.loaded();
      });
      return undefined;
    }
    const place = document.createElement('span');
    place.className = isBlock ? 'formula block' : 'formula';
    formulas.renderFormula(text, isBlock, place);
    return place;
  }
}
