const between = (first, last) => first + Math.floor(Math.random() * (last - first));

/** Stages that create random values. Both sides must create the same fields, but the values differ. */
export const randomWork = {
  AddRandomBoolean: () => ({
    params: { fieldName: 'in_stock', percentTrue: 10 },
    random: true,
    byHand(record) {
      record.in_stock = Math.random() < 0.1;
    },
  }),

  AddRandomDate: () => {
    const [first, last] = [Date.UTC(2024, 0, 1), Date.UTC(2025, 0, 1)];
    return {
      params: { fieldName: 'modified', rangeStartDate: '2024-01-01', rangeEndDate: '2025-01-01' },
      random: true,
      byHand(record) {
        record.modified = new Date(between(first, last)).toISOString();
      },
    };
  },

  AddRandomDouble: () => ({
    params: { fieldName: 'rating', rangeStart: 0, rangeEnd: 5 },
    random: true,
    byHand(record) {
      record.rating = Math.random() * 5;
    },
  }),

  AddRandomInt: () => ({
    params: { fieldName: 'votes', rangeStart: 0, rangeEnd: 5000 },
    random: true,
    byHand(record) {
      record.votes = between(0, 5000);
    },
  }),

  AddRandomNestedField: () => ({
    params: {
      targetField: 'offers',
      numObjects: 2,
      entries: { seller: 'author', 'price.amount': 'amount' },
      generators: { amount: { class: 'AddRandomInt', rangeStart: 1, rangeEnd: 100 } },
    },
    random: true,
    byHand(record) {
      record.offers = [];
      for (let i = 0; i < 2; i++) record.offers.push({ seller: record.author, price: { amount: between(1, 100) } });
    },
  }),

  AddRandomString: () => ({
    params: { fieldName: 'terms', rangeSize: 1000, minNumOfTerms: 3, maxNumOfTerms: 3 },
    random: true,
    byHand(record) {
      record.terms = [];
      for (let i = 0; i < 3; i++) record.terms.push(String(between(0, 1000)));
    },
  }),

  RandomVector: () => ({
    params: { fields: ['embedding'], dimensions: 128 },
    random: true,
    byHand(record) {
      record.embedding = [];
      for (let i = 0; i < 128; i++) record.embedding.push(between(-1e7, 1e7) / 1e7);
    },
  }),
};
