import { describe, expect, test } from "bun:test";
import { pointOf } from "../../../src/pages/public/map_points.ts";
import { firstRowOf } from "../../../src/pages/public/shown_rows.ts";

const at = (row: unknown) => pointOf(firstRowOf(JSON.stringify(row)));
const POINT = { latitude: 34.5, longitude: -118.25 };

describe("pointOf", () => {
  test("a latitude and a longitude by their usual names, in the row or in a field of it", () => {
    const rows = [
      { lat: 34.5, lon: -118.25 },
      { Latitude: 34.5, Longitude: -118.25 },
      { latitude_deg: 34.5, longitude_deg: -118.25 },
      { lat: 34.5, lng: -118.25 },
      { location: { lat: 34.5, long: -118.25 } },
    ];
    expect(rows.map(at)).toEqual(rows.map(() => POINT));
  });

  test("a GeoJSON point, with or without a height", () => {
    expect(at({ geometry: { type: "Point", coordinates: [-118.25, 34.5] } })).toEqual(POINT);
    expect(at({ geo: { type: "Point", coordinates: [-118.25, 34.5, 26] } })).toEqual(POINT);
  });

  test("what is not on Earth, no number, or another shape has no point", () => {
    const rows = [
      {},
      { lat: 34.5 },
      { lat: 91, lon: 0 },
      { lat: 0, lon: -181 },
      { lat: "34.5", lon: "-118.25" },
      { lat: null, lon: true },
      { geometry: { type: "Polygon", coordinates: [[[0, 0]]] } },
      { geometry: { type: "Point", coordinates: "0,0" } },
      { geometry: { type: "Point", coordinates: [[1], { a: 1 }] } },
      { geometry: [1, 2] },
      { geometry: { type: "Point", coordinates: [1, 2], more: "x".repeat(500) } },
    ];
    expect(rows.map(at)).toEqual(rows.map(() => undefined));
    expect(pointOf(firstRowOf('{"lat":1e999,"lon":1}'))).toBeUndefined();
  });
});
