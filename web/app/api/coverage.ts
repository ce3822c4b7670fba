import routes from './routes.json' with { type: 'json' };
import unsupportedPaths from './unsupported-paths.json' with { type: 'json' };

export interface CoveredPath {
  path: string;
  /** HTTP methods, such as `GET, POST`. `*` means every method. */
  methods: string;
  answered: boolean;
}

export type CoveredApi = keyof typeof routes;

/** The addresses that each API answers, and those of Ollama, ComfyUI and n8n that it does not support. A test compares both files with the routes. */
export const coverage = Object.entries(routes).map(([name, paths]) => ({
  api: name as CoveredApi,
  paths: [
    ...Object.entries(paths).map(([path, methods]): CoveredPath => ({ path, methods, answered: true })),
    ...unsupportedPaths[name as CoveredApi].map(
      (path): CoveredPath => ({ path, methods: '', answered: false }),
    ),
  ],
}));
