-- What opens a text up to the first full stop that ends a word, without stars, dots and blanks around it: `NEG` of
-- `NEG.`, `<0.01` of `<0.01.  cTropnT > 0.10 ...`, `VERY LOW` of `VERY LOW*.` (P27, P29).
create macro lab_token(t) as
  trim(regexp_replace(regexp_extract(trim(t), '(?s)^(.*?)(?:\.\s|\.?$)', 1), '[*.\s]+$', ''))
