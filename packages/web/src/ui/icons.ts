/** The outlines of the icons, in a box of 24 by 24. Fonts differ between machines, so icons are not characters. */
export const icons = {
  overview: 'M3 11 12 4l9 7v9h-6v-6H9v6H3z',
  configs: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  runs: 'M7 4v16l13-8z',
  components: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  check: 'M5 13l5 5L20 7',
  cross: 'M6 6l12 12M18 6 6 18',
  warning: 'M12 4 2.5 20h19zM12 10v5M12 17.500v.5',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 3',
  play: 'M8 5v14l11-7z',
  stop: 'M6 6h12v12H6z',
  cancelled: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.6 5.600l12.8 12.8',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.500M17.5 17.5 19 19M5 19l1.5-1.500M17.5 6.5 19 5',
  moon: 'M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z',
  contrast: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M12 7h5M12 12h9M12 17h5',
} as const;

export type IconName = keyof typeof icons;
