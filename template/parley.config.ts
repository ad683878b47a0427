import type { ParleyConfig } from 'parley';

export default { skills: ['./skills'] } satisfies ParleyConfig;
