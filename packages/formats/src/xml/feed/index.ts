export { feedDate } from './feed-date.ts';
export { FeedElement } from './feed-element.ts';
export { type Feed, readFeed } from './read-feed.ts';
