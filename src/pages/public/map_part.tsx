/** @jsxImportSource preact */
/**
 * Rows with coordinates on a small map: points over the outline of the world, zoomed in as far as the points allow.
 *
 * @module
 */
import { assetUrl } from "../layout/assets.ts";
import type { MapPoint } from "../layout/map_points.ts";
import { counted } from "../layout/parts.tsx";

/** The outline's size: two units a degree, from 90 degrees north to 60 degrees south. */
const WORLD = { width: 720, height: 300 };
const UNITS_PER_DEGREE = 2;
const ASPECT = WORLD.width / WORLD.height;
/** The outline is too coarse for less. */
const WIDTH_MIN = 150;
/** Around the points, of the width. */
const MARGIN = 0.12;
/** Of a point, of the width. */
const RADIUS = 0.008;

export function RowMap({ points }: { readonly points: readonly MapPoint[] }) {
  const places = points
    .map(({ latitude, longitude }) => ({
      x: (longitude + 180) * UNITS_PER_DEGREE,
      y: (90 - latitude) * UNITS_PER_DEGREE,
    }))
    .filter(({ y }) => y <= WORLD.height);
  if (places.length === 0) return null;
  const { x, y, width, height } = viewOf(places);
  return (
    <svg
      class="map"
      viewBox={[x, y, width, height].map(rounded).join(" ")}
      role="img"
      aria-label={`Map of ${counted(places.length, "row")} with coordinates`}
    >
      <image href={assetUrl("..", "world.svg")} {...WORLD} />
      {places.map((place) => (
        <circle cx={rounded(place.x)} cy={rounded(place.y)} r={rounded(width * RADIUS)} />
      ))}
    </svg>
  );
}

/** The part of the world that is shown. */
function viewOf(places: readonly { readonly x: number; readonly y: number }[]) {
  const across = rangeOf(places.map(({ x }) => x));
  const down = rangeOf(places.map(({ y }) => y));
  const wanted = Math.max(across.length, down.length * ASPECT) * (1 + 2 * MARGIN);
  const width = Math.min(Math.max(wanted, WIDTH_MIN), WORLD.width);
  const height = width / ASPECT;
  return {
    x: clamped(across.middle - width / 2, WORLD.width - width),
    y: clamped(down.middle - height / 2, WORLD.height - height),
    width,
    height,
  };
}

function rangeOf(values: readonly number[]) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return { middle: (least + most) / 2, length: most - least };
}

function clamped(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
