-- How many of the K features of F_k were observed in each cohort stay, for one diagnosis.
-- {{filled}} is the sum of the "was filled in" flags of the K features. A stay is eligible
-- when at least the share $share of F_k was observed; the quotient decides, because 7 / 50
-- is the double nearest to 0.14 while 0.14 * 50 is more than 7.
insert into eligible_stays
select
  $dx_code as dx_code,
  stay_id,
  cast($k - ({{filled}}) as utinyint) as observed_n,
  cast($k - ({{filled}}) as double) / $k >= $share as is_eligible
from imputed_flags
