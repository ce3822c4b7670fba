/** The folder of the one user: settings, and the files that the editor stores. */
export const USER_FOLDER = 'user/default';
