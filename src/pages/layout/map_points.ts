/**
 * The positions of rows on a map: rows with a latitude and a longitude, or with a GeoJSON point (RFC 7946, section
 * 3.1.2). The functions are pure.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../lib/records.ts";

/** In degrees. */
export interface MapPoint {
  readonly latitude: number;
  readonly longitude: number;
}

const LATITUDE = /^lat(?:itude)?(?:_deg)?$/i;
const LONGITUDE = /^(?:lon|lng|long|longitude)(?:_deg)?$/i;
/** Fields that may contain a point. */
const PLACE = /^(?:geometry|geo|location|position|point|coordinates|coords)$/i;
/** Of a field that contains a point, in characters. */
const PLACE_CHARS_MAX = 500;
const LATITUDE_MAX = 90;
const LONGITUDE_MAX = 180;

/** The point of a row, given the JSON text of each of its fields. */
export function pointOf(row: ReadonlyMap<string, string>): MapPoint | undefined {
  const own = pairOf([...row]);
  if (own !== undefined) return own;
  for (const [key, source] of row) {
    const isPlace = PLACE.test(key) && source.length <= PLACE_CHARS_MAX && source.startsWith("{");
    if (!isPlace) continue;
    const value: JsonObject = JSON.parse(source);
    const point = geoJsonPoint(value) ?? pairOf(Object.entries(value));
    if (point !== undefined) return point;
  }
  return undefined;
}

function pairOf(fields: readonly (readonly [string, unknown])[]): MapPoint | undefined {
  const latitude = fields.find(([name]) => LATITUDE.test(name))?.[1];
  const longitude = fields.find(([name]) => LONGITUDE.test(name))?.[1];
  return checked(latitude, longitude);
}

function geoJsonPoint(value: JsonObject): MapPoint | undefined {
  const { type, coordinates } = value;
  if (!isObject(value) || type !== "Point" || !Array.isArray(coordinates)) return undefined;
  return checked(coordinates[1], coordinates[0]);
}

/** Numbers, or their JSON texts. */
function checked(latitude: unknown, longitude: unknown): MapPoint | undefined {
  const point = { latitude: degrees(latitude), longitude: degrees(longitude) };
  const isOnEarth =
    Math.abs(point.latitude) <= LATITUDE_MAX && Math.abs(point.longitude) <= LONGITUDE_MAX;
  return isOnEarth ? point : undefined;
}

/** NaN for what is no number. */
function degrees(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d/.test(value) ? Number(value) : Number.NaN;
}
