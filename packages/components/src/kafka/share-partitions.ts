import type { GroupPartitionsAssigner } from '@platformatic/kafka';

type Members = Parameters<GroupPartitionsAssigner>[1];
type Member = Members extends Map<string, infer One> ? One : never;

/** The current owners of the partitions of a topic. */
interface Owners {
  readonly byPartition: ReadonlyMap<number, string>;
  /** Partitions that several members claim. All claims are ignored, and no member gets them in this rebalance. */
  readonly contested: ReadonlySet<number>;
}

/**
 * Assigns the partitions of each topic to the members that read it. The numbers of partitions differ by at most one.
 * Members keep as many of their partitions as possible. A partition moves in two rebalances: in the first one, its owner
 * releases it, and in the second one the new owner gets it. (Source: KIP-429, cooperative rebalancing.)
 *
 * The assignor of the library balances the whole group instead of each topic. A worker that joins late may then get no
 * partitions, if other members read other topics.
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

/** Reads the claims of the members of the last generation. The group may have excluded older members. */
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

/** Returns the partitions that each member will have when no more partitions move. */
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
