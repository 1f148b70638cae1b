// Lists as iterators.
import type { Dockside } from "./client.js";
import { unwrap } from "./errors.js";
import type { paths } from "./generated/schema.js";

interface AnyPage {
  readonly next_cursor: string | null;
}

type PageOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Page } } } };
}
  ? Page
  : never;

/** The paths whose `GET` answers a page. */
export type ListPath = {
  [Path in keyof paths]: [PageOf<Path>] extends [never] ? never : PageOf<Path> extends AnyPage ? Path : never;
}[keyof paths];

/** What the list at a path has. */
export type Entry<Path extends ListPath> = Extract<PageOf<Path>[keyof PageOf<Path>], readonly unknown[]>[number];

type ParametersOf<Path extends ListPath> = paths[Path] extends { get: { parameters: infer Parameters } } ? Parameters : never;
type QueryOf<Path extends ListPath> = ParametersOf<Path> extends { query?: infer Query } ? Omit<NonNullable<Query>, "cursor"> : never;

/** The filters of a list, and how many entries a page has (`limit`); with the ids in its path, if there are any. */
export type ListParameters<Path extends ListPath> = { readonly query?: QueryOf<Path> } & (ParametersOf<Path> extends { path: infer Ids }
  ? { readonly path: Ids }
  : { readonly path?: never });

type Get = (path: string, init: object) => Promise<{ error?: never; data: AnyPage; response: Response }>;

/** Yields every entry of a list. Pages are read as they are needed. */
export async function* paginate<Path extends ListPath>(
  dockside: Dockside,
  path: Path,
  ...[parameters]: ParametersOf<Path> extends { path: unknown } ? [ListParameters<Path>] : [ListParameters<Path>?]
): AsyncGenerator<Entry<Path>, void, undefined> {
  // Which answer it is depends on the path, and the types of openapi-fetch can't say that for any path.
  const get = dockside.GET as unknown as Get;
  let cursor: string | null = null;
  do {
    const query: object = { ...parameters?.query, ...(cursor === null ? {} : { cursor }) };
    const page: AnyPage = await unwrap(get(path, { params: { path: parameters?.path, query } }));
    yield* Object.values(page).find(Array.isArray) as Entry<Path>[];
    cursor = page.next_cursor;
  } while (cursor !== null);
}
