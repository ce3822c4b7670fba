/** The name of a saved file without its varying parts: random letters of temporary files, days, and counters. */
export const steadyFilename = (name: string): string =>
  name
    .replace(/_\d{4}-\d\d-\d\d_/, '_date_')
    .replace(/_temp_[a-z]{5}_/, '_temp_letters_')
    .replace(/_\d{5,}_\./, '_number_.');
