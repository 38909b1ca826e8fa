CREATE INDEX `feedback_events_by_turn` ON `feedback_events` (`turn_key`) WHERE "feedback_events"."turn_key" is not null;
