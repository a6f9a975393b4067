-- The long table that every template, family and score fills; a feature without a row is null in the output.
create table feature_values (stay_id integer not null, feature_id varchar not null, value double not null);
