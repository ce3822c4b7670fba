/** Version 1 of the Notion node: the requests of version 2, and another form of its output. */
import notion from './notion.json' with { type: 'json' };

const { databasePage, page } = notion.resources;
const { archive: _archive, ...pageOperations } = page.operations;

/** The description of version 1. Its conditions have another form, which is refused. */
export const notion1 = {
  ...notion,
  versions: [1],
  templates: { ...notion.templates, result: notion.templates.oldResult },
  resources: {
    ...notion.resources,
    databasePage: {
      ...databasePage,
      operations: {
        ...databasePage.operations,
        getAll: {
          ...databasePage.operations.getAll,
          unsupported: [
            'options.downloadFiles',
            'options.filter.singleCondition',
            'options.filter.multipleCondition',
          ],
        },
      },
    },
    page: {
      ...page,
      operations: {
        ...pageOperations,
        get: { path: '/pages/{pageId|notionId}', use: ['page', 'simple'], output: { $template: 'result' } },
      },
    },
  },
};
