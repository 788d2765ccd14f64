import type { GroupPartitionsAssigner } from '@platformatic/kafka';

type Members = Parameters<GroupPartitionsAssigner>[1];
type Member = Members extends Map<string, infer One> ? One : never;

/** Who has the partitions of a topic. */
interface Owners {
  readonly byPartition: ReadonlyMap<number, string>;
  /** Partitions that several members claim: none of them is believed. */
  readonly contested: ReadonlySet<number>;
}

/**
 * Shares out the partitions of each topic among the members that read it: as many for each, or one more. Members keep
 * what they have, as far as that allows. A partition that moves is given to no member yet: its owner releases it first, and
 * the next rebalance gives it to its new owner. (Source: KIP-429, cooperative rebalancing.)
 * The assignor of the library balances a group as a whole, and only if a member has too few partitions and another one
 * has too many. A worker that joins late may stay without partitions, above all beside members that read other topics.
 */
export const sharePartitions: GroupPartitionsAssigner = (_leader, members, _topics, { topics }) => {
  const shares = new Map(Array.from(members.keys(), (memberId) => [memberId, new Map()]));
  const generation = Math.max(...Array.from(members.values(), generationOf));
  for (const [topic, { partitionsCount }] of topics) {
    const readers = Array.from(members).filter(([, member]) => member.topics?.includes(topic) === true);
    if (readers.length === 0) continue;
    const owners = ownersOf(topic, partitionsCount, readers, generation);
    const wanted = balanced(partitionsCount, readers.map(([memberId]) => memberId).sort(), owners);
    for (const [memberId, all] of wanted) {
      const partitions = all.filter((partition) => {
        const owner = owners.byPartition.get(partition) ?? memberId;
        return owner === memberId && !owners.contested.has(partition);
      });
      if (partitions.length > 0) shares.get(memberId)?.set(topic, { topic, partitions: partitions.sort(ascending) });
    }
  }
  return Array.from(shares, ([memberId, assignments]) => ({ memberId, assignments }));
};

/** Only what members of the last generation claim counts: others may have been excluded from the group meanwhile. */
function ownersOf(topic: string, count: number, readers: readonly [string, Member][], generation: number): Owners {
  const byPartition = new Map<number, string>();
  const contested = new Set<number>();
  for (const [memberId, member] of readers) {
    if (generationOf(member) < generation) continue;
    for (const owned of member.ownedPartitions ?? []) {
      if (owned.topic !== topic) continue;
      for (const partition of owned.partitions.filter((one) => one < count)) {
        if (byPartition.has(partition)) contested.add(partition);
        byPartition.set(partition, memberId);
      }
    }
  }
  for (const partition of contested) byPartition.delete(partition);
  return { byPartition, contested };
}

/** The partitions that each member is to have in the end. */
function balanced(count: number, memberIds: readonly string[], { byPartition }: Owners): Map<string, number[]> {
  const wanted = new Map(memberIds.map((memberId) => [memberId, [] as number[]]));
  const bySize = () => Array.from(wanted.values()).sort((a, b) => a.length - b.length);
  for (const [partition, memberId] of byPartition) wanted.get(memberId)?.push(partition);
  for (let partition = 0; partition < count; partition++) {
    if (!byPartition.has(partition)) bySize()[0]?.push(partition);
  }
  for (;;) {
    const sizes = bySize();
    const [least = [], most = []] = [sizes[0], sizes.at(-1)];
    if (most.length - least.length <= 1) return wanted;
    least.push(most.pop() as number);
  }
}

function generationOf({ generationId }: Member): number {
  return generationId ?? -1;
}

function ascending(a: number, b: number): number {
  return a - b;
}
