import type { ConfigModel } from '../config/config-model.ts';

/** How a line goes from one box to another: straight down, or through the margin beside the boxes. */
export interface Route {
  /** The ids of the boxes. */
  readonly from: string;
  readonly to: string;
  readonly side: 'straight' | 'left' | 'right';
  /** The lane in the margin, from 0. Lines to different pipelines have different lanes. */
  readonly lane: number;
}

/**
 * Returns the lines of the picture. The boxes are below each other, so a line goes straight down only if no other box is
 * between: from the last connector to the first pipeline, and from the last pipeline to the indexer.
 */
export function pictureRoutes({ connectors, pipelines, links }: ConfigModel): Route[] {
  const lanes: string[] = [];
  const laneOf = (to: string) => {
    if (!lanes.includes(to)) lanes.push(to);
    return lanes.indexOf(to);
  };
  return links.map(({ from, to }): Route => {
    const isSource = connectors.some(({ id }) => id === from);
    const isNext = isSource ? from === connectors.at(-1)?.id && to === pipelines[0]?.id : from === pipelines.at(-1)?.id;
    if (isNext) return { from, to, side: 'straight', lane: 0 };
    return isSource ? { from, to, side: 'left', lane: laneOf(to) } : { from, to, side: 'right', lane: 0 };
  });
}
