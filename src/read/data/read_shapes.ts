/**
 * The body of a data read. Interface 4.4, decisions 6.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { count, nextCursor, OriginShape, page } from "../../shapes.ts";

export const ReadResultShape = Type.Object(
  {
    data: Type.Unknown({
      description:
        "Singleton: the document. Collection, stream: an array of rows. With `jsonpath`: what it picks.",
    }),
    limit: Type.Optional(page.limit),
    offset: Type.Optional(count("Rows skipped; 0 with `cursor` or `ids`.")),
    has_more: Type.Optional(page.has_more),
    next_cursor: Type.Optional(nextCursor),
    _origin: OriginShape,
  },
  { $id: "ReadResult", description: "A singleton has only `data` and `_origin`." },
);
