import routes from './routes.json' with { type: 'json' };
import leftOut from './unsupported-paths.json' with { type: 'json' };

export interface CoveredPath {
  path: string;
  /** `GET, POST`; `*`: every one. */
  methods: string;
  answered: boolean;
}

export type CoveredApi = keyof typeof routes;

/** What each API answers and what of the imitated one it leaves out. Both files are held to the code by a test. */
export const coverage = Object.entries(routes).map(([name, paths]) => ({
  api: name as CoveredApi,
  paths: [
    ...Object.entries(paths).map(([path, methods]): CoveredPath => ({ path, methods, answered: true })),
    ...leftOut[name as CoveredApi].map((path): CoveredPath => ({ path, methods: '', answered: false })),
  ],
}));
