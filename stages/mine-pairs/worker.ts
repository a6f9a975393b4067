/** What mine-pairs does on worker threads. */
export { mineDiagnosis } from '../lib/mining.js';
